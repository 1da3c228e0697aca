package disk

import "golang.org/x/sys/windows"

// space returns how many bytes can be written to the disk that has path, and how many it has in all.
func space(path string) (free, size uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &size, nil)
	return free, size, err
}
