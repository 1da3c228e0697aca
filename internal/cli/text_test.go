package cli

import (
	"slices"
	"testing"
)

func TestBlocks(t *testing.T) {
	got := blocks("One\nparagraph.\n\n   simsearch near   x\n   simsearch pairs\n\nterm      its text\n          goes on\nb  more\nNot an item.\n", "simsearch")
	want := []block{
		{paragraph, "", "One paragraph."},
		{example, "", "   simsearch near   x\n   simsearch pairs\n"},
		{item, "term", "its text goes on"},
		{item, "b", "more"},
		{paragraph, "", "Not an item."},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
