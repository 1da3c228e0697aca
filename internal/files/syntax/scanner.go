package syntax

// A Scanner finds the end of a JSON value that is seen in parts. It only counts brackets and
// quotes, so that the value may be wrong in other ways.
type Scanner struct {
	depth    int
	inString bool
	escaped  bool // by a backslash at the end of the last part
	begun    bool
}

// Scan returns how many bytes of part belong to the value, and whether the value ends there.
func (v *Scanner) Scan(part []byte) (n int, ended bool) {
	for i, c := range part {
		switch {
		case v.escaped:
			v.escaped = false
		case v.inString:
			switch c {
			case '\\':
				v.escaped = true
			case '"':
				v.inString = false
				if v.depth == 0 {
					return i + 1, true
				}
			}
		case c == '"':
			v.inString = true
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			if v.depth == 0 {
				return i, true // behind a number or a word
			}
			if v.depth--; v.depth == 0 {
				return i + 1, true
			}
		case v.depth == 0 && v.begun && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			return i, true
		}
		v.begun = true
	}
	return len(part), false
}
