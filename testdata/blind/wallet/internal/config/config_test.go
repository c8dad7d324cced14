package config

import (
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	tests := []struct {
		name    string
		env     map[string]string
		want    func(*Config)
		wantErr bool
	}{
		{name: "defaults", want: func(*Config) {}},
		{
			name: "session ttl",
			env:  map[string]string{"WALLET_SESSION_TTL": "5m"},
			want: func(c *Config) { c.Session.TTL = 5 * time.Minute },
		},
		{
			name: "tables",
			env:  map[string]string{"WALLET_TABLE_PAYMENTS": "payments-v2"},
			want: func(c *Config) { c.Tables.Payments = "payments-v2" },
		},
		{name: "bad duration", env: map[string]string{"WALLET_HOLD_TTL": "soon"}, wantErr: true},
		{name: "bad batch", env: map[string]string{"WALLET_BATCH": "0"}, wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New(Params{Getenv: func(k string) string { return tt.env[k] }})
			if (err != nil) != tt.wantErr {
				t.Fatalf("New() error = %v, wantErr %v", err, tt.wantErr)
			}
			if tt.wantErr {
				return
			}
			want := Default()
			tt.want(&want)
			if got.Config != want {
				t.Errorf("New() = %+v, want %+v", got.Config, want)
			}
		})
	}
}
