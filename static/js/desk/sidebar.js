/** Opens the admin's side bar before anything is painted beside it; Django's own script comes when all is there. */
if (localStorage.getItem("django.admin.navSidebarIsOpen") !== "false") {
  document.getElementById("main").classList.add("shifted");
}
