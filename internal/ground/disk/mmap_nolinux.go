//go:build !linux

package disk

func advise([]byte, Access) {}
