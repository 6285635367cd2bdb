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

        protected override void Break() => _mount!.Fill();

        protected override bool TryMend()
        {
            _mount!.Empty();
            return true;
        }
    }
}
