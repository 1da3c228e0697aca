//go:build purego || !amd64

package preprocess

var backends []backend
