package config

import "testing"

func TestIsNetworkFS_EachType_IsRecognized(t *testing.T) {
	for magic, want := range map[uint32]bool{
		nfs:                     true,
		cifs:                    true,
		smb2:                    true,
		v9fs:                    true,
		0xEF53 /* ext4 */ :      false,
		0x01021994 /* tmpfs */ : false,
	} {
		if isNetworkFS(magic) != want {
			t.Errorf("%#x", magic)
		}
	}
	if err := validateFilesystem(t.TempDir()); err != nil {
		t.Error(err)
	}
}
