package cart

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// Gift lists are carts that stay longer. They live in the same table with a
// prefix of their own.

// GiftList is what the browser gets.
type GiftList struct {
	Title     string            `json:"title"`
	Items     map[string]string `json:"items"`
	UpdatedAt time.Time         `json:"updated_at"`
	Expires   time.Time         `json:"expires"`
}

// shift is the timestamp with which an item stays for ttl.
func shift(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(clock.Now().Add(ttl).Add(-bt.CartTTL))
}

// since is the oldest timestamp that is alive.
func since() time.Time {
	return clock.Now().Add(-bt.CartTTL)
}

// SaveGift writes a list.
func SaveGift(w http.ResponseWriter, r *http.Request) {
	var g GiftList
	if !web.Read(w, r, &g) {
		return
	}
	ttl := web.Duration(r, "ttl", 90*24*time.Hour)
	key := keys.Cart("gift", r.PathValue("id"))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamItem)
	bt.PutAll(mut, bt.FamItem, shift(ttl), g.Items)                  // ok ttlwrite/write-time ttlwrite/delete-after-set
	mut.Set(bt.FamMeta, "title", bigtable.Now(), []byte(g.Title))    // ok ttlwrite/write-time
	mut.Set(bt.FamHold, "editing", shift(ttl), []byte(r.RemoteAddr)) // maybe ttlwrite/*
	if err := bt.Carts.Apply(r.Context(), key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// SaveOldGift takes lists from the old shop. They were to go after an hour
// when nobody claims them.
func SaveOldGift(ctx context.Context, id string, items map[string]string) error {
	mut := bigtable.NewMutation()
	bt.PutAll(mut, bt.FamItem, shift(time.Hour), items)                    // ok ttlwrite/already-expired
	mut.Set(bt.FamItem, "old", clock.In(-15*24*time.Hour), []byte("1"))    // want ttlwrite/already-expired
	mut.Set(bt.FamItem, "claim", clock.In(-13*24*time.Hour), []byte("1"))  // ok ttlwrite/already-expired
	bt.PutAll(mut, bt.FamHold, clock.TS(), map[string]string{"lock": "1"}) // want ttlwrite/write-time
	return bt.Carts.Apply(ctx, keys.Cart("gift", id), mut)
}

// ShowGift answers with a list.
func ShowGift(w http.ResponseWriter, r *http.Request) {
	key := keys.Cart("gift", r.PathValue("id"))
	filter := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamItem), bigtable.TimestampRangeFilter(since(), time.Time{}), bigtable.LatestNFilter(1)), // ok ttlread/wrong-bound
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamMeta), bigtable.LatestNFilter(1)),
	)
	row, err := bt.Carts.ReadRow(r.Context(), key, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	g := GiftList{Title: bt.Str(row, bt.FamMeta, "title"), Items: map[string]string{}}
	for _, it := range row[bt.FamItem] {
		g.Items[it.Column[len("item:"):]] = string(it.Value)
		g.UpdatedAt = it.Timestamp.Time()               // want ttlage/not-write-time
		g.Expires = it.Timestamp.Time().Add(bt.CartTTL) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, g)
}

// ShowGiftMeta is the preview: title and when it was last changed.
func ShowGiftMeta(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Carts.ReadRow(r.Context(), keys.Cart("gift", r.PathValue("id"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	title := bt.Cell(row, bt.FamMeta, "title")
	if title == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	web.JSON(w, http.StatusOK, GiftList{
		Title:     string(title.Value),
		UpdatedAt: title.Timestamp.Time(), // ok ttlage/not-write-time
	})
}

// Gifts lists all of them for the back office.
func Gifts(w http.ResponseWriter, r *http.Request) {
	var titles []string
	days := 7 * 24 * time.Hour
	err := bt.Carts.ReadRows(r.Context(), bigtable.PrefixRange("gift"+keys.Sep), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamItem] {
			titles = append(titles, row.Key()+" "+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamItem, days))) // want ttlread/wrong-bound
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, titles)
}

// DeadGifts are the lists that the GC will take next, for the mail "your list
// was removed".
func DeadGifts(ctx context.Context) ([]string, error) {
	var res []string
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange("gift"+keys.Sep), func(row bigtable.Row) bool {
		res = append(res, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamItem),
		bigtable.TimestampRangeFilter(time.Time{}, clock.Now().Add(-bt.CartTTL)), // want ttlread/expired-only
	)))
	return res, err
}

// Claim gives a list to the user who comes first.
func Claim(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	key := keys.Cart("gift", r.PathValue("id"))
	take := bigtable.NewMutation()
	take.Set(bt.FamHold, "claimed", clock.In(holdTTL), []byte(user))              // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter("claimed"), nil, take) // want ttlread/conditional-mutation
	var taken bool
	if err := bt.Carts.Apply(r.Context(), key, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		web.Fail(w, err)
		return
	}
	if taken {
		web.Fail(w, web.ErrConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// ClaimTitle takes the right to edit the title: an ordinary cell.
func ClaimTitle(ctx context.Context, id, user string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(bt.FamMeta, "editor", bigtable.Now(), []byte(user))
	var taken bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamMeta), bigtable.ColumnFilter("editor")), nil, take) // ok ttlread/conditional-mutation
	err := bt.Carts.Apply(ctx, keys.Cart("gift", id), cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Export writes a cart as JSON to the log of the importer.
func Export(ctx context.Context, key string) ([]byte, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[export]
	row, err := bt.Carts.ReadRow(ctx, key, opts...)                    // want ttlread/missing-filter[export]
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(row)
	if err != nil {
		log.Printf("export %s: %v", key, err)
	}
	return raw, err
}

// Peek returns the first items only. The list page shows three.
func Peek(ctx context.Context, key string) ([]string, error) {
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[peek]
		bigtable.FamilyFilter(bt.FamItem),
		bigtable.CellsPerRowLimitFilter(3), // want ttlread/limit-before-filter[peek]
		bigtable.TimestampRangeFilter(since(), time.Time{}),
	)))
	if err != nil {
		return nil, err
	}
	var res []string
	for _, it := range row[bt.FamItem] {
		res = append(res, string(it.Value))
	}
	return res, nil
}

// PeekHold is Peek for holds. The limit comes last there.
func PeekHold(ctx context.Context, key string) ([]string, error) {
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamHold),
		bigtable.TimestampRangeFilter(clock.Now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(3), // ok ttlread/limit-before-filter
	)))
	if err != nil {
		return nil, err
	}
	var res []string
	for _, it := range row[bt.FamHold] {
		res = append(res, string(it.Value))
	}
	return res, nil
}
