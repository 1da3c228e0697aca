package disk

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

// ErrFault is the class of errors of a mapped file that cannot be read: it was truncated while it was open,
// or the disk fails.
var ErrFault = errors.New("the file can no longer be read: it was cut short while it was open, or the disk fails")

// A FaultError has the file that could not be read, and the offset. It wraps ErrFault.
type FaultError struct {
	Path   string
	Offset uint64
}

// Error names the file and the offset.
func (e *FaultError) Error() string {
	return fmt.Sprintf("%s at offset %d: %v", e.Path, e.Offset, ErrFault)
}

// Damage makes a FaultError a Damage, so that what reads a map can panic with it.
func (*FaultError) Damage() {}

// Unwrap returns ErrFault.
func (e *FaultError) Unwrap() error { return ErrFault }

// A Damage is an error of the bytes of a file. What reads them panics with it, and Guarded returns it.
type Damage interface {
	error
	Damage()
}

// Guarded calls do and returns its error. If do reads a part of a map that the file no longer has, Guarded returns a
// FaultError, and if do panics with a Damage, that; without Guarded the process would end. Every goroutine that reads
// maps needs its own Guarded. Calls may be nested. Other panics are not recovered. Guarded takes some nanoseconds and
// does not allocate.
func Guarded(do func() error) (err error) {
	was := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(was)
		if p := recover(); p != nil {
			err = errorOf(p)
		}
	}()
	return do()
}

// errorOf returns the Damage of a panic, or its FaultError. It panics again if the panic is neither.
func errorOf(p any) error {
	if damage, ok := p.(Damage); ok {
		return damage
	}
	fault, ok := p.(interface {
		runtime.Error
		Addr() uintptr
	})
	if ok {
		if err := faultAt(fault.Addr()); err != nil {
			return err
		}
	}
	panic(p)
}

// mapped has the []byte of each *Mapped that is open.
var mapped sync.Map

// faultAt returns the FaultError of an address, or nil if it is in no map.
func faultAt(addr uintptr) (err error) {
	mapped.Range(func(f, data any) bool {
		at := addr - uintptr(unsafe.Pointer(unsafe.SliceData(data.([]byte))))
		if at < uintptr(len(data.([]byte))) {
			err = &FaultError{f.(*Mapped).path, uint64(at)}
		}
		return err == nil
	})
	return err
}
