//go:build purego || !amd64

package hamming

var toggles []toggle
