package dedup

// Reads reports whether value, as it stands in a record, can be compared by w, which compares a field: whether it is a
// date or a time, or a number.
func (w Way) Reads(value string) bool { return w.keyOf(value) != noKey }

// Compare returns 1 if a document whose field has value a is kept rather than one with b, -1 if it is the other way round,
// and 0 if the values are equal. w compares a field. A value that Reads refuses comes last.
func (w Way) Compare(a, b string) int {
	k := newKeys(Keep{Way: w}, true)
	k.add(a, true)
	k.add(b, true)
	return k.compare(0, 1)
}

// HasField reports whether w compares a field.
func (w Way) HasField() bool { return w >= Newest }

// IsTime reports whether w compares dates or times.
func (w Way) IsTime() bool { return w == Newest || w == Oldest }
