package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A peer is a server that finds near fingerprints.
type peer struct {
	name  string
	start func(b *bench, values []uint64) (*serving, error)
}

// A serving is one that runs.
type serving struct {
	pid   int
	dial  func(queries []uint64, batch int) func(client int) (conn, error) // requests of batch queries each, or of one alone if it is 0
	found func(c conn) ([][]int, error)                                    // the ids of what the last request of a connection has found
	stop  func()
}

func peers() []peer {
	server := func(name, engine string) peer {
		return peer{name, func(b *bench, values []uint64) (*serving, error) { return plainServer(b, engine, values) }}
	}
	return []peer{
		{"simsearch serve", ours},
		server("FAISS 1.15.1, MultiHash of 4 × 16 bits", "multihash:4,16,0"),
		server("FAISS 1.15.1, IVF of 1,024 lists, 16 of them", "ivf:1024,16"),
		server("FAISS 1.15.1, Flat", "flat"),
		{"PostgreSQL, four expression indexes", postgres},
		server("Lance 14.0.2, IVF of 1,024 lists, 32 of them", "lance:1024,32"),
	}
}

func hexes(queries []uint64, format, between string) string {
	all := make([]string, len(queries))
	for i, q := range queries {
		all[i] = fmt.Sprintf(format, q)
	}
	return strings.Join(all, between)
}

// requests returns what makes requests of queries: the bodies are made before.
func requests(queries []uint64, batch int, path, kind string, body func(queries []uint64) string) func(to []byte, client, i int) []byte {
	each := max(batch, 1)
	all := make([][]byte, len(queries)/each)
	for i := range all {
		all[i] = post(nil, path, kind, []byte(body(queries[i*each:(i+1)*each])))
	}
	return func(to []byte, client, i int) []byte { return append(to, all[(client*7919+i)%len(all)]...) }
}

// ours serves an index of the values.
func ours(b *bench, values []uint64) (*serving, error) {
	dir := filepath.Join(b.out, "near")
	if err := errors.Join(os.RemoveAll(dir), writeIndex(dir, values)); err != nil {
		return nil, err
	}
	p, err := start(b.simsearch, "serve", "--index", dir, "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &serving{pid: p.cmd.Process.Pid, stop: p.stop, dial: func(queries []uint64, batch int) func(int) (conn, error) {
		return dialer(p.address, nearOurs("default", queries, batch))
	}, found: func(c conn) (found [][]int, err error) {
		d := json.NewDecoder(strings.NewReader(string(c.(*overHTTP).body)))
		for d.More() {
			var a struct{ Matches []struct{ ID string } }
			if err := d.Decode(&a); err != nil {
				return nil, err
			}
			var ids []int
			for _, m := range a.Matches {
				id, err := strconv.Atoi(m.ID)
				if err != nil {
					return nil, err
				}
				ids = append(ids, id)
			}
			found = append(found, ids)
		}
		return found, nil
	}}, nil
}

// nearOurs makes requests for what is near fingerprints.
func nearOurs(collection string, queries []uint64, batch int) func(to []byte, client, i int) []byte {
	kind := lines
	if batch == 0 {
		kind = object
	}
	return requests(queries, batch, "/v1/collections/"+collection+"/near", kind, func(qs []uint64) string {
		return hexes(qs, `{"fingerprint":"%016x","k":3}`, "\n")
	})
}

// plainServer starts peers/serve/server.py.
func plainServer(b *bench, engine string, values []uint64) (*serving, error) {
	data := filepath.Join(b.out, "data")
	if err := writeIntegers(data, values); err != nil {
		return nil, err
	}
	p, err := start(b.python, "peers/serve/server.py", engine, data, strconv.Itoa(distance), filepath.Join(b.out, "lance"))
	if err != nil {
		return nil, err
	}
	return &serving{pid: p.cmd.Process.Pid, stop: p.stop, dial: func(queries []uint64, batch int) func(int) (conn, error) {
		return dialer(p.address, requests(queries, batch, "/near", object, func(qs []uint64) string {
			if batch == 0 {
				return fmt.Sprintf(`{"q":"%016x"}`, qs[0])
			}
			return `{"q":[` + hexes(qs, `"%016x"`, ",") + `]}`
		}))
	}, found: func(c conn) (found [][]int, err error) {
		var all [][][2]float64
		err = json.Unmarshal(c.(*overHTTP).body, &all)
		for _, matches := range all {
			var ids []int
			for _, m := range matches {
				ids = append(ids, int(m[0]))
			}
			found = append(found, ids)
		}
		return found, err
	}}, nil
}

// How PostgreSQL is asked: a quarter of the bits is the same where at most three differ, and each quarter has an index.
const (
	quarters = `((h >> 48) & 65535) = ((%[1]s >> 48) & 65535) OR ((h >> 32) & 65535) = ((%[1]s >> 32) & 65535) OR
		((h >> 16) & 65535) = ((%[1]s >> 16) & 65535) OR (h & 65535) = (%[1]s & 65535)`
	nearRows = `SELECT %[2]s id FROM f WHERE (` + quarters + `) AND bit_count((h # %[1]s)::bit(64)) <= 3`
)

// postgres starts a server of Debian's package in a directory of its own, as the user postgres if this is root.
func postgres(b *bench, values []uint64) (*serving, error) {
	bin, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(bin) == 0 {
		return nil, errors.New("there is no PostgreSQL: apt-get install postgresql")
	}
	dir, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	as := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(filepath.Dir(bin[len(bin)-1]), name), args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if u, err := user.Lookup("postgres"); err == nil && os.Getuid() == 0 {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			_ = os.Chown(dir, uid, gid)
		}
		cmd.Dir, cmd.Stderr = dir, nil
		return cmd
	}
	if err := as("initdb", "-D", dir, "-A", "trust", "-U", "postgres").Run(); err != nil {
		return nil, fmt.Errorf("initdb: %w", err)
	}
	cmd := as("postgres", "-D", dir, "-k", dir, "-c", "listen_addresses=", "-c", "shared_buffers=1GB", "-c", "max_wal_size=8GB",
		"-c", "jit=off", "-c", "maintenance_work_mem=512MB", "-c", "plan_cache_mode=force_generic_plan", "-c", "max_parallel_workers_per_gather=0")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &serving{pid: cmd.Process.Pid, stop: func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}}
	connect := func() (*pgx.Conn, error) {
		return pgx.Connect(context.Background(), "host="+dir+" user=postgres dbname=postgres")
	}
	if err := fill(connect, values); err != nil {
		s.stop()
		return nil, err
	}
	s.dial = func(queries []uint64, batch int) func(int) (conn, error) {
		return func(client int) (conn, error) {
			c, err := connect()
			return &overSQL{Conn: c, client: client, queries: queries, batch: batch}, err
		}
	}
	s.found = func(c conn) ([][]int, error) { return c.(*overSQL).found, nil }
	return s, nil
}

// fill makes the table and its indexes, when the server is ready.
func fill(connect func() (*pgx.Conn, error), values []uint64) (err error) {
	var c *pgx.Conn
	for range 100 {
		if c, err = connect(); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	ctx := context.Background()
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, "CREATE TABLE f (id int8, h int8)"); err != nil {
		return err
	}
	rows := pgx.CopyFromSlice(len(values), func(i int) ([]any, error) { return []any{int64(i), int64(values[i])}, nil })
	if _, err := c.CopyFrom(ctx, pgx.Identifier{"f"}, []string{"id", "h"}, rows); err != nil {
		return err
	}
	for _, sql := range []string{
		"CREATE INDEX ON f (((h >> 48) & 65535))", "CREATE INDEX ON f (((h >> 32) & 65535))",
		"CREATE INDEX ON f (((h >> 16) & 65535))", "CREATE INDEX ON f ((h & 65535))", "VACUUM ANALYZE f", "CHECKPOINT",
	} {
		if _, err := c.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// An overSQL is a connection to PostgreSQL, by its binary protocol and statements that are prepared.
type overSQL struct {
	*pgx.Conn
	client  int
	queries []uint64
	batch   int
	found   [][]int
}

func (c *overSQL) Close() error { return c.Conn.Close(context.Background()) }

var (
	oneSQL   = fmt.Sprintf(nearRows, "$1::int8", "1::int8,")
	batchSQL = "SELECT q.n, t.id FROM unnest($1::int8[]) WITH ORDINALITY AS q(v, n), LATERAL (" + fmt.Sprintf(nearRows, "q.v", "") + ") t"
)

func (c *overSQL) exchange(i int) (status int, err error) {
	each := max(c.batch, 1)
	at := (c.client*7919 + i) % (len(c.queries) / each) * each
	c.found = make([][]int, each)
	var rows pgx.Rows
	if c.batch == 0 {
		rows, err = c.Query(context.Background(), oneSQL, int64(c.queries[at]))
	} else {
		values := make([]int64, each)
		for j := range values {
			values[j] = int64(c.queries[at+j])
		}
		rows, err = c.Query(context.Background(), batchSQL, values)
	}
	if err != nil {
		return 0, err
	}
	var n, id int64
	_, err = pgx.ForEachRow(rows, []any{&n, &id}, func() error {
		c.found[n-1] = append(c.found[n-1], int(id))
		return nil
	})
	return 200, err
}
