//go:build !unix

package disk

import "os"

func open(f *os.File, at int64, size int) (*Mapped, error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, at); err != nil {
		return nil, err
	}
	return &Mapped{data: data}, nil
}
