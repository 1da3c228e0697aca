package preprocess

// A backend has a name and the variable that enables it.
type backend struct {
	name string
	on   *bool
}

// eachBackend calls run with each backend that the processor has, and last with none. Tests that use it
// must not run in parallel.
func eachBackend(run func(name string)) {
	for _, b := range backends {
		if *b.on {
			run(b.name)
		}
		was := *b.on
		*b.on = false
		defer func() { *b.on = was }()
	}
	run("generic")
}
