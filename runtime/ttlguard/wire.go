package ttlguard

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields iterates over the fields of a message on the wire that are texts,
// bytes or messages, by their numbers. What is damaged ends it.
func fields(message []byte) iter.Seq2[protowire.Number, []byte] {
	return func(yield func(protowire.Number, []byte) bool) {
		for len(message) > 0 {
			number, kind, n := protowire.ConsumeTag(message)
			if n < 0 {
				return
			}
			message = message[n:]
			if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
				return
			}
			if value, m := protowire.ConsumeBytes(message); kind == protowire.BytesType && m == n && !yield(number, value) {
				return
			}
			message = message[n:]
		}
	}
}

// field returns the value of a field of bytes or of a text: the last, if there
// are many.
func field(message []byte, of protowire.Number) (value []byte) {
	for number, v := range fields(message) {
		if number == of {
			value = v
		}
	}
	return value
}

// whole returns a field that is a message: many are one with the fields of all.
func whole(message []byte, of protowire.Number) (value []byte) {
	for number, v := range fields(message) {
		if number == of {
			value = append(slices.Clip(value), v...)
		}
	}
	return value
}

// oneof returns which of a message's fields is set, of which all are messages
// and one can be.
func oneof(message []byte) (set protowire.Number, value []byte) {
	for number, v := range fields(message) {
		if number != set {
			set, value = number, nil
		}
		if value == nil {
			value = v
		} else {
			value = append(slices.Clip(value), v...)
		}
	}
	return set, value
}

// varint returns the value of a field that is a number.
func varint(message []byte, of protowire.Number) (value uint64) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return value
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return value
		}
		if number == of && kind == protowire.VarintType {
			value, _ = protowire.ConsumeVarint(message)
		}
		message = message[n:]
	}
	return value
}
