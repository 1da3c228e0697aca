//go:build !purego

package preprocess

// backends are the backends that a processor may have, the best first.
var backends = []backend{{"neon", &useNEON}}
