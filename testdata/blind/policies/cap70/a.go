package cap70

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var rows = []struct {
	table, family string
	policy        bigtable.GCPolicy
}{
	{"t0", "f0", bigtable.MaxAgePolicy(1 * time.Hour)},
	{"t1", "f1", bigtable.MaxAgePolicy(2 * time.Hour)},
	{"t2", "f2", bigtable.MaxAgePolicy(3 * time.Hour)},
	{"t3", "f3", bigtable.MaxAgePolicy(4 * time.Hour)},
	{"t4", "f4", bigtable.MaxAgePolicy(5 * time.Hour)},
	{"t5", "f5", bigtable.MaxAgePolicy(6 * time.Hour)},
	{"t6", "f6", bigtable.MaxAgePolicy(7 * time.Hour)},
	{"t7", "f7", bigtable.MaxAgePolicy(8 * time.Hour)},
	{"t8", "f8", bigtable.MaxAgePolicy(9 * time.Hour)},
	{"t9", "f9", bigtable.MaxAgePolicy(10 * time.Hour)},
	{"t10", "f10", bigtable.MaxAgePolicy(11 * time.Hour)},
	{"t11", "f11", bigtable.MaxAgePolicy(12 * time.Hour)},
	{"t12", "f12", bigtable.MaxAgePolicy(13 * time.Hour)},
	{"t13", "f13", bigtable.MaxAgePolicy(14 * time.Hour)},
	{"t14", "f14", bigtable.MaxAgePolicy(15 * time.Hour)},
	{"t15", "f15", bigtable.MaxAgePolicy(16 * time.Hour)},
	{"t16", "f16", bigtable.MaxAgePolicy(17 * time.Hour)},
	{"t17", "f17", bigtable.MaxAgePolicy(18 * time.Hour)},
	{"t18", "f18", bigtable.MaxAgePolicy(19 * time.Hour)},
	{"t19", "f19", bigtable.MaxAgePolicy(20 * time.Hour)},
	{"t20", "f20", bigtable.MaxAgePolicy(21 * time.Hour)},
	{"t21", "f21", bigtable.MaxAgePolicy(22 * time.Hour)},
	{"t22", "f22", bigtable.MaxAgePolicy(23 * time.Hour)},
	{"t23", "f23", bigtable.MaxAgePolicy(24 * time.Hour)},
	{"t24", "f24", bigtable.MaxAgePolicy(25 * time.Hour)},
	{"t25", "f25", bigtable.MaxAgePolicy(26 * time.Hour)},
	{"t26", "f26", bigtable.MaxAgePolicy(27 * time.Hour)},
	{"t27", "f27", bigtable.MaxAgePolicy(28 * time.Hour)},
	{"t28", "f28", bigtable.MaxAgePolicy(29 * time.Hour)},
	{"t29", "f29", bigtable.MaxAgePolicy(30 * time.Hour)},
	{"t30", "f30", bigtable.MaxAgePolicy(31 * time.Hour)},
	{"t31", "f31", bigtable.MaxAgePolicy(32 * time.Hour)},
	{"t32", "f32", bigtable.MaxAgePolicy(33 * time.Hour)},
	{"t33", "f33", bigtable.MaxAgePolicy(34 * time.Hour)},
	{"t34", "f34", bigtable.MaxAgePolicy(35 * time.Hour)},
	{"t35", "f35", bigtable.MaxAgePolicy(36 * time.Hour)},
	{"t36", "f36", bigtable.MaxAgePolicy(37 * time.Hour)},
	{"t37", "f37", bigtable.MaxAgePolicy(38 * time.Hour)},
	{"t38", "f38", bigtable.MaxAgePolicy(39 * time.Hour)},
	{"t39", "f39", bigtable.MaxAgePolicy(40 * time.Hour)},
	{"t40", "f40", bigtable.MaxAgePolicy(41 * time.Hour)},
	{"t41", "f41", bigtable.MaxAgePolicy(42 * time.Hour)},
	{"t42", "f42", bigtable.MaxAgePolicy(43 * time.Hour)},
	{"t43", "f43", bigtable.MaxAgePolicy(44 * time.Hour)},
	{"t44", "f44", bigtable.MaxAgePolicy(45 * time.Hour)},
	{"t45", "f45", bigtable.MaxAgePolicy(46 * time.Hour)},
	{"t46", "f46", bigtable.MaxAgePolicy(47 * time.Hour)},
	{"t47", "f47", bigtable.MaxAgePolicy(48 * time.Hour)},
	{"t48", "f48", bigtable.MaxAgePolicy(49 * time.Hour)},
	{"t49", "f49", bigtable.MaxAgePolicy(50 * time.Hour)},
	{"t50", "f50", bigtable.MaxAgePolicy(51 * time.Hour)},
	{"t51", "f51", bigtable.MaxAgePolicy(52 * time.Hour)},
	{"t52", "f52", bigtable.MaxAgePolicy(53 * time.Hour)},
	{"t53", "f53", bigtable.MaxAgePolicy(54 * time.Hour)},
	{"t54", "f54", bigtable.MaxAgePolicy(55 * time.Hour)},
	{"t55", "f55", bigtable.MaxAgePolicy(56 * time.Hour)},
	{"t56", "f56", bigtable.MaxAgePolicy(57 * time.Hour)},
	{"t57", "f57", bigtable.MaxAgePolicy(58 * time.Hour)},
	{"t58", "f58", bigtable.MaxAgePolicy(59 * time.Hour)},
	{"t59", "f59", bigtable.MaxAgePolicy(60 * time.Hour)},
	{"t60", "f60", bigtable.MaxAgePolicy(61 * time.Hour)},
	{"t61", "f61", bigtable.MaxAgePolicy(62 * time.Hour)},
	{"t62", "f62", bigtable.MaxAgePolicy(63 * time.Hour)},
	{"t63", "f63", bigtable.MaxAgePolicy(64 * time.Hour)},
	{"t64", "f64", bigtable.MaxAgePolicy(65 * time.Hour)},
	{"t65", "f65", bigtable.MaxAgePolicy(66 * time.Hour)},
	{"t66", "f66", bigtable.MaxAgePolicy(67 * time.Hour)},
	{"t67", "f67", bigtable.MaxAgePolicy(68 * time.Hour)},
	{"t68", "f68", bigtable.MaxAgePolicy(69 * time.Hour)},
	{"t69", "f69", bigtable.MaxAgePolicy(70 * time.Hour)},
	{"blocks", "hdr", bigtable.MaxAgePolicy(time.Hour)}, // bad
}

func All(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, r := range rows {
		if err := ac.SetGCPolicy(ctx, r.table, r.family, r.policy); err != nil {
			return err
		}
	}
	return nil
}
