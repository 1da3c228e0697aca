package mmap

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// ErrFault marks a mapped file that could not be read: it was truncated while it was open,
// or the disk fails.
var ErrFault = errors.New("the file can no longer be read: it was cut short while it was open, or the disk fails")

// A FaultError says which file could not be read where. It wraps ErrFault.
type FaultError struct {
	Path   string
	Offset uint64
}

// Error names the file.
func (e *FaultError) Error() string {
	return fmt.Sprintf("%s at offset %d: %v", e.Path, e.Offset, ErrFault)
}

// Unwrap returns ErrFault.
func (e *FaultError) Unwrap() error { return ErrFault }

// Guarded returns what do returns, or a FaultError if do reads a part of a map that its file no
// longer has, which without Guarded ends the process. Every goroutine that reads maps needs
// a Guarded of its own; one inside another does no harm. Other panics go on. It costs some
// nanoseconds and allocates nothing.
func Guarded(do func() error) (err error) {
	was := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(was)
		if p := recover(); p != nil {
			err = faultOf(p)
		}
	}()
	return do()
}

// faultOf returns the FaultError of a panic, or panics again if it is none.
func faultOf(p any) error {
	fault, ok := p.(interface {
		runtime.Error
		Addr() uintptr
	})
	if ok {
		if err := maps.find(fault.Addr()); err != nil {
			return err
		}
	}
	panic(p)
}

// maps are those that are open.
var maps registry

type registry struct {
	sync.Mutex
	open []*File
}

func (r *registry) add(f *File) {
	r.Lock()
	defer r.Unlock()
	r.open = append(r.open, f)
}

func (r *registry) remove(f *File) {
	r.Lock()
	defer r.Unlock()
	if i := slices.Index(r.open, f); i >= 0 {
		r.open = slices.Delete(r.open, i, i+1)
	}
}

// find returns an error that names the file of an address, or nil if there is none.
func (r *registry) find(addr uintptr) error {
	r.Lock()
	defer r.Unlock()
	for _, f := range r.open {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(f.data)))
		if addr >= start && addr-start < uintptr(len(f.data)) {
			return &FaultError{f.path, uint64(addr - start)}
		}
	}
	return nil
}
