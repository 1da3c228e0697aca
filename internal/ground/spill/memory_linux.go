package spill

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

func machine() (m amount, ok bool) { return machineIn(os.DirFS("/")) }

// machineIn returns the memory of the machine, or of the control group of this process with the least. root is the root
// directory of the system. ok is false if it does not tell.
func machineIn(root fs.FS) (m amount, ok bool) {
	info := numbers(root, "proc/meminfo")
	total, ok := info["MemTotal:"]
	available, ok2 := info["MemAvailable:"]
	if !ok || !ok2 {
		return m, false
	}
	m = amount{total << 10, available << 10}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		v := version2
		if parts[0] != "0" || parts[1] != "" {
			v = version1
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
		}
		// A limit of a group holds for the groups in it, and one of more than the machine has is none. In a
		// container, the path may be one that only the host has.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			at := path.Join(v.root, dir)
			if limit, ok := numbers(root, path.Join(at, v.limit))[""]; ok && limit < total<<10 {
				// The pages of files that the kernel can drop are available.
				used := max(0, numbers(root, path.Join(at, v.used))[""]-numbers(root, path.Join(at, "memory.stat"))[v.cache])
				m = amount{min(m.total, limit), min(m.available, max(0, limit-used))}
			}
			if dir == "/" {
				break
			}
		}
	}
	return m, true
}

// A version names the files of control groups.
type version struct{ root, limit, used, cache string }

var (
	version2 = version{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
	version1 = version{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
)

// numbers returns the numbers of a file, by the names before them. A number that is alone in its line has no name.
func numbers(root fs.FS, file string) map[string]int64 {
	data, _ := fs.ReadFile(root, file)
	all := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 1 {
			words = []string{"", words[0]}
		}
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(words[1], 10, 64); err == nil && n >= 0 {
			all[words[0]] = n
		}
	}
	return all
}
