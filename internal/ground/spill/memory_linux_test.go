package spill

import (
	"testing"
	"testing/fstest"
)

func TestMachine(t *testing.T) {
	const info = "MemTotal: 8000000 kB\nMemFree: 100 kB\nMemAvailable: 4000000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  amount
		ok    bool
	}{
		{"nothing is known", nil, amount{}, false},
		{"no groups", map[string]string{"proc/meminfo": info}, amount{8000000 << 10, 4000000 << 10}, true},
		{"a group without a limit", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5\n",
		}, amount{8000000 << 10, 4000000 << 10}, true},
		{"pages of files are free", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000000\n", "sys/fs/cgroup/memory.current": "700000\n",
			"sys/fs/cgroup/memory.stat": "anon 300000\ninactive_file 400000\n",
		}, amount{1000000, 700000}, true},
		{"the group above has the least", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000000\n", "sys/fs/cgroup/a/memory.current": "900000\n",
			"sys/fs/cgroup/a/b/memory.max": "2000000\n", "sys/fs/cgroup/a/b/memory.current": "10\n",
		}, amount{1000000, 100000}, true},
		{"it takes more than its limit", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "1001\n",
		}, amount{1000, 0}, true},
		{"version 1, with a path of the host", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "7:cpu:/x\n5:memory:/docker/c0ffee\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "600000\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000\n",
			"sys/fs/cgroup/memory/memory.stat": "total_inactive_file 50000\n",
		}, amount{600000, 150000}, true},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "5:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, amount{8000000 << 10, 4000000 << 10}, true},
		{"files that nobody understands", map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": "0\n\n::\n0::\n", "sys/fs/cgroup/memory.max": "-5\n",
		}, amount{8000000 << 10, 4000000 << 10}, true},
	} {
		root := fstest.MapFS{}
		for name, data := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(data)}
		}
		if got, ok := machineIn(root); got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %v, want %+v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
