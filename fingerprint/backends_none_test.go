//go:build purego || !amd64

package fingerprint

var backends []backend
