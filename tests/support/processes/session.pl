#!/usr/bin/perl
# Runs a command in a session of its own, as setsid(1) does, which macOS lacks. Waits for it where that takes a fork.
use strict;
use warnings;
use POSIX qw(setsid);
if (getpgrp() == $$ && (my $pid = fork())) {
  waitpid($pid, 0);
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
}
setsid();
exec(@ARGV) or die "$ARGV[0]: $!\n";
