package proxy

import "fmt"

// A frame is a message that is passed on as it came.
type frame struct{ payload []byte }

// A codec hands messages through without looking at them. Its name is that of
// the codec that clients and servers use, so that the content type on the wire
// stays.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("proxy: cannot pass on a %T", v)
	}
	return f.payload, nil
}

func (codec) Unmarshal(data []byte, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("proxy: cannot take a %T", v)
	}
	f.payload = append([]byte(nil), data...)
	return nil
}

func (codec) Name() string { return "proto" }
