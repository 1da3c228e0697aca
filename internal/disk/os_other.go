//go:build !unix

package disk

const noFollow = 0
