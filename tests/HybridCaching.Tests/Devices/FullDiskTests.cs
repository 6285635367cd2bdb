using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>ENOSPC for real: a file system of 16 MiB, a quarter of <c>DiskBudget</c>, that others fill, then room again.</summary>
public sealed class FullDiskTests(FullDiskTests.FullDisk fault) : DiskFaultTests<FullDiskTests.FullDisk>(fault), IClassFixture<FullDiskTests.FullDisk>
{
    public sealed class FullDisk : DiskFault
    {
        private MountedDirectory? _mount;

        /// <summary>What the cache itself writes would be enough.</summary>
        protected override bool IsBrokenBefore => true;

        public override void Dispose() => _mount?.Dispose();

        protected override string Prepare() => (_mount = new MountedDirectory("16m")).Path;

        protected override void Break() => _mount!.Fill();

        protected override bool TryMend()
        {
            _mount!.Empty();
            _mount.Resize("256m"); // else the cache alone would fill it again
            return true;
        }
    }
}
