package section

import (
	"encoding/binary"
	"unsafe"
)

// An Integer is the type of the elements of an Array.
type Integer interface {
	uint8 | uint16 | uint32 | uint64
}

// An Array is a section of integers. It is a part of the file and must not be written to.
type Array[T Integer] struct {
	// All has all elements. An element must not be used before Check of it.
	All   []T
	Guard *Guard
}

// Checked returns an array of xs. Its elements need no checking, and its Guard is nil.
func Checked[T Integer](xs []T) Array[T] { return Array[T]{All: xs} }

// Len returns the number of elements.
func (a Array[T]) Len() int { return len(a.All) }

// Check checks the elements [from, to), as Guard.Check does.
func (a *Array[T]) Check(from, to uint64) {
	if a.Guard.Whole() {
		return
	}
	var x T
	size := uint64(unsafe.Sizeof(x))
	// from and to may be any numbers, if they come from damaged bytes.
	n := uint64(len(a.All))
	a.Guard.Check(min(from, n)*size, min(to, n)*size)
}

// At returns element i, in [0, Len()), after checking it.
func (a *Array[T]) At(i uint64) T {
	if !a.Guard.Whole() {
		a.Check(i, i+1)
	}
	return a.All[i]
}

// Range returns the elements [from, to) after checking them. 0 <= from <= to <= Len().
func (a *Array[T]) Range(from, to uint64) []T {
	if !a.Guard.Whole() {
		a.Check(from, to)
	}
	return a.All[from:to:to]
}

// Done tells the system that the elements are not read for now: those of a mapped file take no memory until then.
func (a *Array[T]) Done() {
	if a.Guard != nil {
		a.Guard.done(0, a.Guard.length)
	}
}

// A Walk reads an Array once from front to back. Of a mapped file, what it has read does not stay in the memory of
// this process.
type Walk[T Integer] struct {
	a        Array[T]
	at, held uint64 // the next element, and the first one that memory may hold
}

// walkHolds is about how many bytes of a mapped file a Walk holds.
const walkHolds = 1 << 20

// Walk returns a Walk that begins at the first element.
func (a Array[T]) Walk() Walk[T] { return Walk[T]{a: a} }

// Left returns the number of elements that have not been read.
func (w *Walk[T]) Left() uint64 { return uint64(len(w.a.All)) - w.at }

// Next returns the next n elements, or those that are left, after checking them.
func (w *Walk[T]) Next(n uint64) []T {
	var x T
	size := uint64(unsafe.Sizeof(x))
	from, to := w.at, w.at+min(n, w.Left())
	if (from-w.held)*size >= walkHolds {
		w.a.Guard.done(w.held*size, from*size)
		w.held = from
	}
	w.a.Guard.checkAlone(from*size, to*size)
	w.at = to
	return w.a.All[from:to:to]
}

// Any is a number of integers that a section may have, whatever it has.
const Any = ^uint64(0)

// Integers returns a section as an array of n integers, which are not checked. The error is ErrCorrupt if
// there is no such section, or if it has another length. n may be Any.
func Integers[T Integer](f *File, name string, n uint64) Array[T] {
	var a Array[T]
	g := f.find(name)
	var x T
	size := uint64(unsafe.Sizeof(x))
	if n == Any {
		n = g.length / size
	}
	if g.length%size != 0 || g.length/size != n {
		panic(g.Corruptf(0, "%d bytes, want %d integers of %d", g.length, n, size))
	}
	a.Guard = g
	if n == 0 {
		return a
	}
	b := g.bytes[:g.length]
	if aligned := uintptr(unsafe.Pointer(&b[0]))%uintptr(size) == 0; size == 1 || littleEndian && aligned {
		a.All = unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
		return a
	}
	// Copying uses all bytes, so that they are checked first.
	g.CheckAll()
	a.All = make([]T, n)
	_, _ = binary.Decode(b, binary.LittleEndian, a.All) // b has as many bytes
	return a
}

// Uint64s returns a section of n integers of eight bytes after checking all of them. The slice is a
// part of the file and must not be written to. The error is ErrCorrupt if the section is damaged,
// is missing or has another length.
func (f *File) Uint64s(name string, n uint64) []uint64 { return checked[uint64](f, name, n) }

// Uint32s is Uint64s for integers of four bytes.
func (f *File) Uint32s(name string, n uint64) []uint32 { return checked[uint32](f, name, n) }

func checked[T Integer](f *File, name string, n uint64) []T {
	a := Integers[T](f, name, n)
	a.Guard.CheckAll()
	return a.All
}
