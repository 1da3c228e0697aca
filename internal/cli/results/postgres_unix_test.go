//go:build unix

package results

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/tests/testkit"
)

// postgres is like sqlite for a PostgreSQL server. It starts the server on a socket in a directory
// of its own.
func postgres(t *testing.T, statements string, queries []string) [][]string {
	t.Helper()
	testkit.Long(t, "PostgreSQL begins a database")
	for _, name := range []string{"initdb", "pg_ctl", "psql"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("PostgreSQL is not installed: there is no " + name)
		}
	}
	dir, err := os.MkdirTemp("", "pg") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := asPostgres(t, dir)
	run := func(stdin, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Stdin, cmd.SysProcAttr, cmd.Dir = strings.NewReader(stdin), as, dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, stdout.String(), stderr.String())
		}
		return stdout.String()
	}
	data := filepath.Join(dir, "data")
	run("", "initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync")
	run("", "pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", "-F -c listen_addresses= -k "+dir, "start")
	defer run("", "pg_ctl", "-D", data, "-m", "immediate", "stop")
	psql := []string{"-h", dir, "-U", "tester", "-d", "postgres", "-q", "-t", "-A", "-F", "\t", "-v", "ON_ERROR_STOP=1"}
	run(statements, "psql", psql...)
	var rows [][]string
	for _, q := range queries {
		first := []string{}
		for line := range strings.Lines(run(q, "psql", psql...)) {
			column, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			first = append(first, column)
		}
		rows = append(rows, first)
	}
	return rows
}

// asPostgres returns the attributes of a PostgreSQL process. PostgreSQL does not start as root, so
// for root they name the user postgres, which then owns dir. They are nil for other users.
func asPostgres(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("root may not run PostgreSQL, and there is no user postgres")
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Skip(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
