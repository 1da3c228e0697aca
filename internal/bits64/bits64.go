// Package bits64 ends the build for 32-bit systems in one line that says why: collections,
// tables and files are counted in ints of 64 bits. Whatever needs such ints imports it.
package bits64
