# Runs Kafka once and writes an archive of the classes that it loaded. Later starts need half the CPU time.
#
#   unshare --uts --net --mount --propagation=private sh train.sh ROOT JAVA_ARGUMENT ...
#
# The archive is valid only for the paths at which it was written, so the processes run in the root of the image.
set -eu
root=$1
shift
hostname localhost
ip link set lo up
mount --bind /proc "$root/proc"
java() {
  chroot "$root" /opt/java/bin/java "$@"
}
java -Xshare:dump > "$root/tmp/dump.log" 2>&1
java "$@" kafka.tools.StorageTool format -t abcdefghijklmnopqrstuw -c /tmp/train.properties --standalone > "$root/tmp/format.log" 2>&1
chroot "$root" /opt/java/bin/java -XX:ArchiveClassesAtExit=/opt/kafka/classes.jsa "$@" kafka.Kafka /tmp/train.properties > "$root/tmp/kafka.log" 2>&1 &
kafka=$!
tries=0
until ss -ltn | grep -q ':9092 '; do
  tries=$((tries + 1))
  if [ "$tries" -gt 300 ] || ! kill -0 "$kafka"; then
    cat "$root/tmp/kafka.log" >&2
    kill -KILL "$kafka"
    exit 1
  fi
  sleep 0.5
done
sleep 2
kill -TERM "$kafka"
# The exit code of a process that a signal ended is not zero.
wait "$kafka" || true
umount "$root/proc"
test -s "$root/opt/kafka/classes.jsa"
