package disk

// NewScratch returns an empty file system for what nobody needs when the process has ended, whatever ends it. It is like that
// of NewMemory, except that its contents lie in files without names in the system's directory for temporary files. Names and
// locks are in memory. Syncs do nothing.
//
// What has not been removed takes space until the process ends.
func NewScratch() FS {
	return &memory{nodes: map[string]*node{}, empty: func() (contents, error) {
		f, err := OS.CreateTemp("")
		return &nameless{File: f}, err
	}}
}

// nameless is contents in a file without a name.
type nameless struct {
	File
	end int64
}

func (c *nameless) size() int64                   { return c.end }
func (c *nameless) share(string) (*Mapped, error) { return c.Map() }
func (c *nameless) WriteAt(p []byte, at int64) (int, error) {
	n, err := c.File.WriteAt(p, at)
	c.end = max(c.end, at+int64(n))
	return n, err
}
