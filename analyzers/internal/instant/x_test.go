package instant
import ("testing";"time")
func TestX(t *testing.T){
 bad:=0; worst:=""
 for y:=1970;y<2262;y++ { for m:=1;m<13;m++ { for ns:=0; ns<1000000000; ns+= 7000000 {
  v:=bt(call("time.Date", num(int64(y)),num(int64(m)),num(3),num(4),num(5),num(6),num(int64(ns)),param(9)))
  w:=time.Date(y,time.Month(m),3,4,5,6,ns,time.UTC).UnixMicro()
  if g:=OfTimestamp(v); g.Micros!=w { bad++; if worst=="" {worst=v.String()} }
 }}}
 t.Log(bad, worst)
}
