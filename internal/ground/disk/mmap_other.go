//go:build !unix

package disk

import "os"

func open(f *os.File, size int) (*Mapped, error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return &Mapped{data: data}, nil
}
