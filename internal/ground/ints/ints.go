// Package ints has algorithms on lists of integers: radix sort, sorted lists as sets and how they are coded,
// directories of sorted lists, numbered sets, and disjoint sets. It has the names of numbered constants, too.
package ints
