//go:build purego || (!amd64 && !arm64)

package preprocess

var backends []backend
