"""Records the destinations outside this machine to which programs in a network namespace send packets.

Every address must be local in the namespace, so that all packets arrive on the loopback device. TCP packets count if
they open a connection, so answers do not; all UDP packets count. Packets to 127.0.0.0/8 and ::1 are ignored. Prints
"recording" once it listens, then one JSON line per new destination.
"""

import ipaddress
import json
import socket
import struct

# EtherTypes (linux/if_ether.h): all packets, which the socket receives, and the two kinds that are decoded.
ALL_KINDS, IPV4, IPV6 = 0x0003, 0x0800, 0x86DD
TCP, UDP, DNS_PORT = 6, 17, 53
PROTOCOLS = {TCP: "tcp", UDP: "udp"}
SYN, ACK = 2, 16


def ip_parts(kind: int, packet: bytes):
    """Returns protocol number, destination and body of an IP packet; None for other kinds of packets."""
    if kind == IPV4:
        header = (packet[0] & 15) * 4
        return packet[9], ipaddress.ip_address(packet[16:20]), packet[header:]
    if kind == IPV6:
        return packet[6], ipaddress.ip_address(packet[24:40]), packet[40:]
    return None


def queried_name(query: bytes) -> str:
    """Returns the name in a DNS query, which follows its header of 12 bytes."""
    labels, rest = [], query[12:]
    while rest and rest[0]:
        labels.append(rest[1 : 1 + rest[0]].decode("latin-1"))
        rest = rest[1 + rest[0] :]
    return ".".join(labels)


def destination(kind: int, packet: bytes):
    """Returns the destination of a packet; None for local packets, TCP answers and other protocols."""
    parts = ip_parts(kind, packet)
    if parts is None:
        return None
    protocol, address, body = parts
    if address.is_loopback or protocol not in PROTOCOLS:
        return None
    _, port = struct.unpack("!HH", body[:4])
    if protocol == TCP and body[13] & (SYN | ACK) != SYN:
        return None
    name = queried_name(body[8:]) if protocol == UDP and port == DNS_PORT else ""
    return {"protocol": PROTOCOLS[protocol], "to": str(address), "port": port, "name": name}


def main() -> None:
    recorder = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_KINDS))
    recorder.bind(("lo", 0))
    print(json.dumps("recording"), flush=True)
    seen = set()
    while True:
        packet, (_, kind, direction, *_) = recorder.recvfrom(65535)
        found = None if direction == socket.PACKET_OUTGOING else destination(kind, packet)
        if found is not None and (line := json.dumps(found)) not in seen:
            seen.add(line)
            print(line, flush=True)


main()
