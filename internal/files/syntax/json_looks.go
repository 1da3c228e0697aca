package syntax

import "bytes"

// A Shape is how JSON fills a file.
type Shape uint8

// The shapes.
const (
	NotJSON Shape = iota // not with JSON
	Lines                // with an object a line
	Values               // with an array of objects, or one object after another
)

// LooksLikeJSON returns the shape of a file by its beginning. enough is false if more of the file may
// change the answer; it is true if final says that there is no more to see.
func LooksLikeJSON(head []byte, final bool) (shape Shape, enough bool) {
	head = SkipSpace(head)
	if len(head) == 0 {
		return NotJSON, final
	}
	switch head[0] {
	case '[':
		rest := SkipSpace(head[1:])
		if len(rest) == 0 || rest[0] != ']' {
			return whether(Values, beginsObject(rest), final)
		}
		if len(SkipSpace(rest[1:])) == 0 {
			return Values, final
		}
		return NotJSON, true
	case '{':
		return looksLikeObjects(head, final)
	}
	return NotJSON, true
}

// looksLikeObjects is LooksLikeJSON for a stream that begins with a bracket of an object.
func looksLikeObjects(head []byte, final bool) (shape Shape, enough bool) {
	begins := beginsObject(head)
	if begins == no {
		return NotJSON, true
	}
	end := bytes.IndexByte(head, '\n')
	if end < 0 {
		return whether(Lines, begins, final)
	}
	isLine := ValidateRecord(head[:end]) == nil
	second := SkipSpace(head[end:])
	switch {
	case isLine && len(second) == 0:
		return Lines, true // the next line may wait for an answer to this one
	case len(second) == 0 && !final:
		return NotJSON, false
	}
	switch next := beginsObject(second); {
	case next == yes, next == perhaps && isLine:
		return Lines, true
	case next == perhaps && !final:
		return NotJSON, false
	case isLine:
		return NotJSON, true // an object, and something else behind it
	}
	return whether(Values, begins, final)
}

// An answer is what a part of a text tells.
type answer uint8

const (
	no answer = iota
	perhaps
	yes
)

// whether returns shape, or NotJSON for no. More must be seen for perhaps, unless this is final.
func whether(shape Shape, a answer, final bool) (Shape, bool) {
	switch a {
	case yes:
		return shape, true
	case perhaps:
		return NotJSON, final
	}
	return NotJSON, true
}

// beginsObject says whether s begins with a JSON object: a bracket, and either a key and a colon or
// the closing bracket.
func beginsObject(s []byte) answer {
	is := func(i int, c byte) answer {
		switch {
		case i >= len(s):
			return perhaps
		case s[i] == c:
			return yes
		}
		return no
	}
	if begins := is(0, '{'); begins != yes {
		return begins
	}
	key := space(s, 1)
	if is(key, '}') == yes {
		return yes
	}
	if begins := is(key, '"'); begins != yes {
		return begins
	}
	n, _, wrong := str(s[key:])
	if wrong != "" {
		return perhaps
	}
	return is(space(s, key+n), ':')
}
