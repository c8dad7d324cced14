package filter
import ("testing";"math/rand";"fmt")
func TestY(t *testing.T){
 rng := rand.New(rand.NewSource(13))
 randomRows(rng,25)
 for i:=0;i<=2182;i++ { tree,f:=randomTree(rng,3)
  if i<2182 {continue}
  e:=newEmulator(t)
  fmt.Println(f)
  fam:=strategies[2]
  for _,r:=range tree.runs() { for j,row:=range tree.rows(fam) {
    bad:=false
    for _,c:=range tree.pass(row,r) { if c.dead&&c.family=="f" {bad=true} }
    if !bad {continue}
    key:=fmt.Sprintf("%s-%d",r.key,j)
    rows:=map[string][]cell{key:row}
    e.write(t,rows)
    ret:=e.read(t,f,rows)
    _,dead:=judge(ret,fam,rows)
    fmt.Println(key,row,"model:",tree.pass(row,r),"emulator:",ret,dead)
  }}
 }
}
