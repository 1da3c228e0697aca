//go:build !linux && !darwin && !freebsd && !windows

package disk

import "errors"

// space returns an error: it is not known here how much space a disk has.
func space(string) (free, size uint64, err error) { return 0, 0, errors.ErrUnsupported }
