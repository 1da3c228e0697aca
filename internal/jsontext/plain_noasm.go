//go:build purego || !amd64

package jsontext

func plain(s []byte) int { return plainGeneric(s) }
