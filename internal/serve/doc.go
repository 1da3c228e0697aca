// Package serve is a folder. Its packages answer other programs, people on a page, and agents.
//
//   - service: the operations, in one table, on named collections
//   - server, lines, agent: three doors to them, by HTTP, by lines on standard input, and by the Model Context Protocol
//   - explorer: the page of a server, which asks the same operations
//   - gate: whether a document is new to an index that others write to
//
// A door knows how requests arrive and how answers leave, and nothing of what is near.
package serve
