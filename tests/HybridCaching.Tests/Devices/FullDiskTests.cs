using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>ENOSPC for real: a file system smaller than <c>DiskBudget</c>, then room again.</summary>
public sealed class FullDiskTests(FullDiskTests.FullDisk fault) : DiskFaultTests<FullDiskTests.FullDisk>(fault), IClassFixture<FullDiskTests.FullDisk>
{
    public sealed class FullDisk : DiskFault
    {
        private MountedDirectory? _mount;

        public override void Dispose() => _mount?.Dispose();

        protected override string Prepare() => (_mount = new MountedDirectory("32m")).Path;

        protected override void Break()
        {
            // Somebody else takes the rest.
            using var file = File.OpenHandle(Path.Combine(_mount!.Path, "big"), FileMode.Create, FileAccess.Write);
            byte[] piece = new byte[1 << 16];
            try
            {
                for (long at = 0; ; at += piece.Length) RandomAccess.Write(file, piece, at);
            }
            catch (IOException)
            {
                // Full.
            }
        }

        protected override bool TryMend()
        {
            File.Delete(Path.Combine(_mount!.Path, "big"));
            return true;
        }
    }
}
