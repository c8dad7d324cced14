package mapper

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// column is one cell to write.
type column struct {
	name  string
	value []byte
}

// field is what a tag says: `bt:"family:column,stamp=expiry,ttl=15m"`, `bt:"column"`, `bt:"-"`, `bt:",stamp"`.
type field struct {
	index  int
	family string
	column string
	stamp  string
	ttl    time.Duration
	isTS   bool
}

var plans sync.Map // reflect.Type → []field

func planOf(t reflect.Type) ([]field, error) {
	if p, ok := plans.Load(t); ok {
		return p.([]field), nil
	}
	var out []field
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("bt")
		if !ok || tag == "-" {
			continue
		}
		f := field{index: i}
		name, rest, _ := strings.Cut(tag, ",")
		if fam, col, ok := strings.Cut(name, ":"); ok {
			f.family, f.column = fam, col
		} else {
			f.column = name
		}
		for _, part := range strings.Split(rest, ",") {
			k, v, _ := strings.Cut(part, "=")
			switch k {
			case "":
			case "stamp":
				f.stamp, f.isTS = v, v == ""
			case "ttl":
				d, err := time.ParseDuration(v)
				if err != nil {
					return nil, fmt.Errorf("mapper: %s.%s: %w", t, t.Field(i).Name, err)
				}
				f.ttl = d
			default:
				return nil, fmt.Errorf("mapper: %s.%s: unknown option %q", t, t.Field(i).Name, k)
			}
		}
		out = append(out, f)
	}
	plans.Store(t, out)
	return out, nil
}

func structOf(v any) reflect.Value {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer || rv.Kind() == reflect.Interface {
		rv = rv.Elem()
	}
	return rv
}

// columnsOf encodes the tagged fields of an entity.
func columnsOf(e any) []column {
	rv := structOf(e)
	plan, err := planOf(rv.Type())
	if err != nil {
		return nil
	}
	var out []column
	for _, f := range plan {
		if f.isTS {
			continue
		}
		if b, ok := encode(rv.Field(f.index)); ok {
			out = append(out, column{f.column, b})
		}
	}
	return out
}

func encode(v reflect.Value) ([]byte, bool) {
	switch v.Kind() {
	case reflect.String:
		return []byte(v.String()), true
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.BigEndian.AppendUint64(nil, uint64(v.Int())), true
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(nil, math.Float64bits(v.Float())), true
	case reflect.Bool:
		return strconv.AppendBool(nil, v.Bool()), true
	case reflect.Slice, reflect.Struct, reflect.Map:
		b, err := json.Marshal(v.Interface())
		return b, err == nil
	}
	return nil, false
}

func assign(v reflect.Value, b []byte) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(b))
	case reflect.Int, reflect.Int32, reflect.Int64:
		if len(b) != 8 {
			return fmt.Errorf("mapper: %d bytes for a number", len(b))
		}
		v.SetInt(int64(binary.BigEndian.Uint64(b)))
	case reflect.Float64:
		if len(b) != 8 {
			return fmt.Errorf("mapper: %d bytes for a float", len(b))
		}
		v.SetFloat(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case reflect.Bool:
		v.SetBool(string(b) == "true")
	default:
		return json.Unmarshal(b, v.Addr().Interface())
	}
	return nil
}

// fill decodes cells into tagged fields.
func fill(items []bigtable.ReadItem, e any) error {
	rv := structOf(e)
	plan, err := planOf(rv.Type())
	if err != nil {
		return err
	}
	for _, it := range items {
		_, qualifier, _ := strings.Cut(it.Column, ":")
		for _, f := range plan {
			fv := rv.Field(f.index)
			switch {
			case f.isTS && fv.Type() == reflect.TypeFor[time.Time]():
				fv.Set(reflect.ValueOf(it.Timestamp.Time())) // ok ttlage/not-write-time
			case f.column == qualifier:
				if err := assign(fv, it.Value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// stampFor is the timestamp that a tag asks for.
func stampFor(f field, seq int64) bigtable.Timestamp {
	switch f.stamp {
	case "expiry":
		return bigtable.Time(time.Now().Add(f.ttl))
	case "zero":
		return 0
	case "seq":
		return bigtable.Timestamp(seq * 1000)
	case "server":
		return bigtable.ServerTime
	}
	return bigtable.Now()
}

// Sequenced is a tagged struct with a sequence number.
type Sequenced interface{ Seq() int64 }

// Put writes a tagged struct.
func Put(ctx context.Context, tbl *bigtable.Table, key string, v any) error {
	rv := structOf(v)
	plan, err := planOf(rv.Type())
	if err != nil {
		return err
	}
	var seq int64
	if s, ok := v.(Sequenced); ok {
		seq = s.Seq()
	}
	mut := bigtable.NewMutation()
	for _, f := range plan {
		if f.family == "" || f.isTS {
			continue
		}
		if b, ok := encode(rv.Field(f.index)); ok {
			mut.Set(f.family, f.column, stampFor(f, seq), b) // ok ttlwrite/write-time
		}
	}
	return tbl.Apply(ctx, key, mut)
}

// Fetch reads a tagged struct; only the families that its tags name.
func Fetch(ctx context.Context, tbl *bigtable.Table, key string, v any) error {
	plan, err := planOf(structOf(v).Type())
	if err != nil {
		return err
	}
	var names []string
	for _, f := range plan {
		if f.family != "" {
			names = append(names, f.family)
		}
	}
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(strings.Join(names, "|")))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row) == 0 {
		return ErrNotFound
	}
	for _, items := range row {
		if err := fill(items, v); err != nil {
			return err
		}
	}
	return nil
}
