// Package bits64 ends the build for 32-bit systems with one line that says why. The sizes of collections,
// tables and files are ints of 64 bits. Packages that need such ints import it.
package bits64
