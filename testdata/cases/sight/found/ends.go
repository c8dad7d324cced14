package found

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/found/rows"
)

func end(row bigtable.Row, column string) (time.Time, bool) {
	for _, it := range row["token"] {
		if it.Column == "token:"+column {
			return it.Timestamp.Time(), true
		}
	}
	return time.Time{}, false
}

// What helpers return is compared with a time here.
func (s *store) lives(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return false, err
	}
	at, ok := end(row, "sub")
	return ok && at.After(time.Now()), nil
}

func (s *store) livesElsewhere(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return false, err
	}
	at, ok := rows.End(row, "token", "sub")
	return ok && at.After(time.Now()), nil
}

func (s *store) newest(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return false, err
	}
	return rows.Newest(row, "token") > bigtable.Now(), nil
}

func (s *store) exists(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return false, err
	}
	_, ok := rows.End(row, "token", "sub")
	return ok, nil
}

func (s *store) shown(ctx context.Context, key string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return time.Time{}, err
	}
	at, _ := rows.End(row, "token", "sub")
	return at, nil
}

func (s *store) sized(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return false, err
	}
	return rows.Size(row, "token") > time.Duration(len(key)), nil
}
