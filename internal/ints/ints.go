// Package ints has algorithms on lists of integers: radix sort, sorted lists as sets, directories of sorted lists, and disjoint
// sets.
package ints
