//go:build purego || !amd64

package preprocess

func wordEdges(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	return wordEdgesGeneric(dst, edges, ms, text)
}
