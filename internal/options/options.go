// Package options has the flags that commands share, and their values.
package options

// IndexVariable is the variable of the environment that gives --index.
const IndexVariable = "SIMSEARCH_INDEX"

// Groups of flags, in the order in which help shows them.
const (
	SearchedGroup = "What is searched"
	SettingsGroup = "Settings"
	InputGroup    = "Input"
	OutputGroup   = "Output and resources"
)
