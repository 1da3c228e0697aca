//go:build purego || (!amd64 && !arm64)

package fingerprint

var backends []backend
