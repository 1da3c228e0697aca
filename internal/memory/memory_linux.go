package memory

import (
	"bufio"
	"bytes"
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
	total, ok := field(root, "proc/meminfo", "MemTotal:")
	available, ok2 := field(root, "proc/meminfo", "MemAvailable:")
	if !ok || !ok2 {
		return m, false
	}
	m = amount{total << 10, available << 10}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return m, true
	}
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		v := version2
		switch {
		case parts[0] == "0" && parts[1] == "":
		case strings.Contains(","+parts[1]+",", ",memory,"):
			v = version1
		default:
			continue
		}
		// A limit of a group holds for the groups in it. In a container, the path may be one that only the host has.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			if group, ok := v.amount(root, path.Join(v.root, dir)); ok {
				m = amount{min(m.total, group.total), min(m.available, group.available)}
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

// amount returns the memory of a group. The pages of files that the kernel can drop are available. ok is false if the group
// has no limit.
func (v version) amount(root fs.FS, dir string) (m amount, ok bool) {
	limit, ok := number(root, path.Join(dir, v.limit))
	if !ok {
		return m, false
	}
	used, _ := number(root, path.Join(dir, v.used))
	cache, _ := field(root, path.Join(dir, "memory.stat"), v.cache)
	return amount{limit, max(0, limit-max(0, used-cache))}, true
}

// number returns the number that is all of a file.
func number(root fs.FS, name string) (int64, bool) {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	return n, err == nil && n >= 0
}

// field returns the number behind a name that begins a line of a file.
func field(root fs.FS, file, name string) (int64, bool) {
	f, err := root.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close() // it was read only
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
