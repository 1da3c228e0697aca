package syntax

import "strings"

// An Object is a JSON value that has been checked, with the places of its members if it is an object. The zero value is
// ready for ParseRecord, which uses its memory again. It must not be used by several goroutines at once.
type Object struct {
	value   []byte
	members []member // of an object, in its order
	many    bool     // it has more than mostMembers: members is not used
	unquote Unquoter // of keys
}

// A member is a member of an object.
type member struct {
	key, value []byte // as they stand in the object
	escaped    bool   // the key has a backslash
}

// mostMembers is how many members an Object remembers. Those of an object with more are found again when they are
// asked for, so that memory does not grow with their number.
const mostMembers = 128

// ParseRecord checks line as ValidateRecord does, and returns its error. The Object refers to line, and is valid
// until line is changed. One pass checks a line and finds its members.
func (r *Object) ParseRecord(line []byte) error {
	r.value, r.members, r.many = SkipSpace(line), r.members[:0], false
	return whole(r.value, func(key, value []byte, escaped bool) bool {
		if r.many = r.many || len(r.members) == mostMembers; !r.many {
			r.members = append(r.members, member{key, value, escaped})
		}
		return true
	})
}

// Value returns the value without the white space before it.
func (r *Object) Value() []byte { return r.value }

// Field returns the value of a member as Unquoter.Field does. The value of r must be an object. The result is valid
// as long as r.
func (r *Object) Field(name string) []byte {
	if v := r.child(name); v != nil || strings.IndexByte(name, '.') < 0 {
		return v
	}
	return r.unquote.Field(r.value, name)
}

// Each calls do with the key and the value of each member, as they stand in the value of r, which must be an object.
func (r *Object) Each(do func(key, value []byte)) {
	if r.many {
		for key, value := range Members(r.value) {
			do(key, value)
		}
		return
	}
	for _, m := range r.members {
		do(m.key, m.value)
	}
}

// child returns the last member of that name, or nil.
func (r *Object) child(name string) []byte {
	if r.many {
		return r.unquote.Child(r.value, name)
	}
	for i := len(r.members) - 1; i >= 0; i-- {
		m := &r.members[i]
		if !m.escaped {
			if string(m.key[1:len(m.key)-1]) == name {
				return m.value
			}
		} else if string(r.unquote.Unquote(m.key)) == name {
			return m.value
		}
	}
	return nil
}
