package eval

import (
	"simsearch/internal/report"
)

// A Report is what experiments have found. Its methods WriteText, WriteMarkdown, WriteHTML and
// WriteJSON write it, and WriteFiles writes all forms.
type Report = report.Report

// A Section is the part of a report that one experiment fills: text, tables and plots.
type Section = report.Section
